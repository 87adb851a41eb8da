#!/bin/sh
# sites.sh <robots-sites> [<sites>...]: starts nginx (Debian: nginx-light) and prints what it costs to
# fetch the robots.txt of so many sites.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 2500 20000 100000
folder=$(mktemp -d)
port=18088
cat >"$folder/nginx.conf" <<END
worker_processes 1;
pid $folder/pid;
error_log $folder/errors;
events { worker_connections 4096; }
http {
  access_log off;
  server {
    listen 127.0.0.1:$port;
    location = /robots.txt {
      default_type text/plain;
      return 200 "User-agent: *\nDisallow: /private\nDisallow: /tmp\nAllow: /tmp/open\nDisallow: /cgi-bin\n";
    }
  }
}
END
PATH="$PATH:/usr/sbin" nginx -c "$folder/nginx.conf"
trap 'kill "$(cat "$folder/pid")"; rm -rf "$folder"' EXIT
sleep 1
printf 'what\tsites\tseconds of CPU\tseconds\toctets a site\n'
for sites in "$@"; do
  for what in libcurl prefetch threads; do
    "$program" "$port" "$what" "$sites"
  done
done
