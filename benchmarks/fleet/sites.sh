#!/bin/sh
# sites.sh <robots-sites> [<sites>...]: starts nginx (Debian: nginx-light) and prints the costs of fetching
# the robots.txt of these numbers of sites, with and without redirects, over http and https (up to 20,000
# sites). WAYS and WEBS select rows. With GZIP=on, nginx compresses its answers.
#
# Both programs run on one processor, PROCESSOR or the first one: if nginx sleeps on another processor, Linux charges its
# wake-up to the client, and a client that is slower than nginx finds it asleep more often. With
# PROCESSOR=any, they run on all processors.
set -eu
program=$1
shift
[ $# -gt 0 ] || set -- 2500 20000 100000
ways=${WAYS:-libcurl libcurl-threads multi prefetch prefetch-4096 asio threads}
webs=${WEBS:-http http-redirect https https-redirect}
folder=$(mktemp -d)
port=${PORT:-18088}
processor=${PROCESSOR:-$(taskset -cp $$ | sed 's/.*: //; s/[-,].*//')}
[ "$processor" = any ] && there= || there="taskset -c $processor"
curve="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
# shellcheck disable=SC2086
openssl req -x509 $curve -keyout "$folder/ca.key" -out "$folder/ca.pem" -days 2 -subj "/CN=sites" 2>/dev/null
# shellcheck disable=SC2086
openssl req -x509 -CA "$folder/ca.pem" -CAkey "$folder/ca.key" $curve -keyout "$folder/key.pem" \
  -out "$folder/cert.pem" -days 2 -subj "/CN=sites.test" -addext "subjectAltName=DNS:*.sites.test" 2>/dev/null
cat >"$folder/nginx.conf" <<END
worker_processes 1;
pid $folder/pid;
error_log $folder/errors;
events { worker_connections 4096; }
http {
  access_log off;
  gzip ${GZIP:-off};
  gzip_min_length 1;
  gzip_types text/plain;
  map \$host \$target { ~^moved \$scheme://www-\$host/robots.txt; }
  server {
    listen 127.0.0.1:$port backlog=4096;
    listen 127.0.0.1:$((port + 1)) ssl backlog=4096;
    ssl_certificate $folder/cert.pem;
    ssl_certificate_key $folder/key.pem;
    location = /robots.txt {
      default_type text/plain;
      if (\$target) { return 301 \$target; }
      return 200 "User-agent: *\nDisallow: /private\nDisallow: /tmp\nAllow: /tmp/open\nDisallow: /cgi-bin\n";
    }
  }
}
END
trap 'test ! -f "$folder/pid" || kill "$(cat "$folder/pid")"; rm -rf "$folder"' EXIT
# shellcheck disable=SC2086
PATH="$PATH:/usr/sbin" $there nginx -c "$folder/nginx.conf"
sleep 1
printf 'way\tweb\tsites\tseconds of CPU\tseconds\tmicroseconds a site\tpeak MiB\tMiB kept\n'
for web in $webs; do
  case $web in https*) at=$((port + 1)) ;; *) at=$port ;; esac
  for sites in "$@"; do
    [ "$at" = "$port" ] || [ "$sites" -le 20000 ] || continue
    for way in $ways; do
      # shellcheck disable=SC2086
      $there "$program" "$way" "$web" "$at" "$folder/ca.pem" "$sites"
    done
  done
done
