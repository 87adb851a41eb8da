# Hides defaulted and deleted functions without a comment, so that Doxygen does not ask for one.
/= (default|delete);/ && previous !~ /\/\/\/|requires/ { previous = $0; print ""; next }
{ previous = $0; print }
