# What is defaulted or deleted says so itself; Doxygen need not ask for a comment on it.
/= (default|delete);/ && previous !~ /\/\/\/|requires/ { previous = $0; print ""; next }
{ previous = $0; print }
