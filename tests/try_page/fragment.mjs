// The form as the fragment of a link, which no browser sends to a server.
//
//   fields --> octets (each field: its size in 4 octets, then its text) --> deflate --> base64url
//
// The first letter says if the octets are compressed: d, or p for plain.
import { octets_of } from "./library.mjs";

const names = ["robots", "crawler", "urls", "headers", "read"];

function joined(pieces) {
  const all = new Uint8Array(pieces.reduce((sum, one) => sum + one.length, 0));
  let end = 0;
  for (const one of pieces) {
    all.set(one, end);
    end += one.length;
  }
  return all;
}

/** Sends octets through a stream, and stops with an error after `most` octets. */
async function through(stream, octets, most) {
  const writer = stream.writable.getWriter();
  writer.write(octets).catch(() => {});
  writer.close().catch(() => {});
  const reader = stream.readable.getReader();
  const pieces = [];
  let size = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) {
      return joined(pieces);
    }
    size += value.length;
    if (size > most) {
      reader.cancel().catch(() => {});
      throw new Error(`it holds more than ${most} octets`);
    }
    pieces.push(value);
  }
}

function to_base64url(octets) {
  let text = "";
  for (let i = 0; i < octets.length; i += 0x8000) {
    text += String.fromCharCode(...octets.subarray(i, i + 0x8000));
  }
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

/** Returns the fragment for the fields of the form. A field is a text or octets. */
export async function fragment_of_fields(fields) {
  const pieces = names.flatMap((name) => {
    const octets = octets_of(fields[name] ?? "");
    const size = new Uint8Array(4);
    new DataView(size.buffer).setUint32(0, octets.length);
    return [size, octets];
  });
  const octets = joined(pieces);
  if (typeof CompressionStream === "undefined") {
    return `p${to_base64url(octets)}`;
  }
  return `d${to_base64url(await through(new CompressionStream("deflate-raw"), octets, Infinity))}`;
}

/** Returns the fields of a fragment, or null for an empty fragment. Throws for any other text. */
export async function fields_of_fragment(fragment, most) {
  if (fragment === "") {
    return null;
  }
  const text = atob(fragment.slice(1).replaceAll("-", "+").replaceAll("_", "/"));
  let octets = Uint8Array.from(text, (c) => c.charCodeAt(0));
  if (fragment[0] === "d") {
    octets = await through(new DecompressionStream("deflate-raw"), octets, most);
  } else if (fragment[0] !== "p") {
    throw new Error("it does not begin with d or p");
  }
  const fields = {};
  const view = new DataView(octets.buffer, octets.byteOffset, octets.length);
  let next = 0;
  for (const name of names) {
    const size = view.getUint32(next);
    if (next + 4 + size > octets.length) {
      throw new Error("it is cut");
    }
    const field = octets.subarray(next + 4, next + 4 + size);
    fields[name] = name === "robots" ? field.slice() : new TextDecoder().decode(field);
    next += 4 + size;
  }
  return fields;
}
