// Opens the library, which is compiled to WebAssembly without any script of its own.
//
//   texts --> room (octets in the memory of the library) --> try_... (sizes) --> JSON, up to a NUL
//
// If a call traps, such as for lack of memory, the instance is given up, and `call` throws. The
// caller can open the library again.

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Returns the octets of a text, or octets as they are. */
export function octets_of(text) {
  return typeof text === "string" ? encoder.encode(text) : text;
}

/** Compiles and starts the library. `module` is a WebAssembly.Module. */
export async function open_library(module) {
  let said = "";
  let memory;
  // All that a program without files and clock can ask of its host: to write a last message.
  const wasi = {
    fd_write(_file, pieces, count, written) {
      const view = new DataView(memory.buffer);
      let size = 0;
      for (let i = 0; i < count; ++i) {
        const start = view.getUint32(pieces + 8 * i, true);
        const length = view.getUint32(pieces + 8 * i + 4, true);
        said += decoder.decode(new Uint8Array(memory.buffer, start, length));
        size += length;
      }
      view.setUint32(written, size, true);
      return 0;
    },
  };
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = wasi[name] ?? (() => 0);
  }
  const { exports } = await WebAssembly.instantiate(module, imports);
  memory = exports.memory;
  exports._initialize?.();

  return {
    /** Calls a function with texts and numbers, and returns its answer as an object. */
    call(name, texts, ...numbers) {
      const given = texts.map(octets_of);
      let start = exports.try_room(given.reduce((sum, one) => sum + one.length, 0));
      for (const one of given) {
        new Uint8Array(memory.buffer, start, one.length).set(one);
        start += one.length;
      }
      try {
        const json = exports[name](...given.map((one) => one.length), ...numbers);
        const all = new Uint8Array(memory.buffer);
        return JSON.parse(decoder.decode(all.subarray(json, all.indexOf(0, json))));
      } catch (error) {
        throw new Error(said || `${name}: ${error.message}`);
      }
    },
  };
}
