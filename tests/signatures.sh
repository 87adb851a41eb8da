#!/bin/sh
# signatures.sh PROGRAM: checks the signatures of real requests with verifiers by others, which npm installs. PROGRAM is
# signed_requests (tests/adapters/signature/signed_requests.cpp). CI does not run this script.
set -eu
program=$1
folder=build/signatures
tests=tests/adapters/signature
mkdir -p "$folder"
[ -d "$folder/node_modules/http-message-sig" ] && [ -d "$folder/node_modules/http-message-signatures" ] ||
  npm install --prefix "$folder" --no-audit --no-fund --silent http-message-sig@0.3.0 http-message-signatures@1.0.6

openssl genpkey -algorithm ed25519 -out "$folder/crawler.pem"
new_key="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
# shellcheck disable=SC2086
openssl req -x509 $new_key -keyout "$folder/ca.key" -out "$folder/ca.pem" -subj /CN=ca -days 2 2>"$folder/openssl.log"
# shellcheck disable=SC2086
openssl req $new_key -keyout "$folder/server.key" -out "$folder/server.csr" -subj /CN=a.example 2>"$folder/openssl.log"
echo 'subjectAltName=DNS:a.example,DNS:b.example,DNS:c.example' >"$folder/names"
openssl x509 -req -in "$folder/server.csr" -CA "$folder/ca.pem" -CAkey "$folder/ca.key" -CAcreateserial \
  -out "$folder/server.pem" -days 2 -extfile "$folder/names" 2>"$folder/openssl.log"

"$program" "$folder"
node "$tests/verifier.mjs" "$folder" "$program"
