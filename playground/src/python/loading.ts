// Loads Python in the worker: all its files at once, counted as they come, then one stage after another, in words.
import type { PyodideInterface } from 'pyodide'

/** How far loading is. `patience` is how many milliseconds of silence may follow before something is wrong. */
export interface Loading {
  stage: string
  bytes: number
  patience: number
}

/** A line may pause; a slow machine that compiles Python is silent for half a minute. */
const BETWEEN_BYTES = 30_000
const BETWEEN_STAGES = 90_000

const LIBRARY = 'python_stdlib_compiled.zip'

type PythonFile = (typeof PYTHON_FILES)[number]

/** Why Python could not be loaded: a sentence for the reader. */
export class NotLoaded extends Error {
  override name = 'NotLoaded'
}

/**
 * Pyodide with mingraph_lite in it, from the folder at `base`. Rejects with a reason as soon as one file is missing,
 * also where Pyodide itself would wait for it for ever.
 */
export async function loadPython(base: string, tell: (loading: Loading) => void): Promise<PyodideInterface> {
  let stage = 'starting Python'
  let bytes = 0
  const say = () => {
    const all = bytes === PYTHON_BYTES
    tell({ stage: all ? stage : 'its files', bytes, patience: all ? BETWEEN_STAGES : BETWEEN_BYTES })
  }
  const step = (next: string) => {
    stage = next
    say()
  }
  const files = fetchAll(base, (more) => {
    bytes += more
    say()
  })
  const plain = self.fetch
  self.fetch = (asked, init) => files.response(asked) ?? plain(asked, init)
  try {
    return await Promise.race([files.failed, start(base, step)])
  } finally {
    self.fetch = plain
  }
}

async function start(base: string, step: (stage: string) => void): Promise<PyodideInterface> {
  const { loadPyodide } = await import(/* @vite-ignore */ new URL('pyodide.mjs', base).href)
  const python: PyodideInterface = await loadPyodide({
    indexURL: base,
    stdLibURL: new URL(LIBRARY, base).href,
    lockFileURL: new URL('pyodide-lock.json', base).href,
    packageBaseUrl: base,
  })
  step('mingraph_lite')
  const errorCallback = (what: string) => {
    throw new NotLoaded(what)
  }
  await python.loadPackage('mingraph_lite', { messageCallback() {}, errorCallback })
  step('the scenarios')
  return python
}

/**
 * Asks for every file at once, where Pyodide would ask for one after another. Counted is what comes out of the stream,
 * so that the bar ends at the same place on a host that compresses.
 */
function fetchAll(base: string, add: (bytes: number) => void) {
  const responses = new Map<string, Promise<Response>>()
  const all = PYTHON_FILES.map((file) => {
    const url = new URL(file.name, base).href
    if (file.name.endsWith('.mjs')) return module(url, file, add)
    const response = arrived(url, file, add)
    responses.set(url, response)
    return response
  })
  return {
    /** Rejects with the first file that does not come, and never resolves. */
    failed: Promise.all(all).then(() => new Promise<never>(() => {})),
    /** A response can be read once: whoever asks again asks the host. */
    response(asked: RequestInfo | URL) {
      const url = asked instanceof Request ? asked.url : String(asked)
      const found = responses.get(url)
      responses.delete(url)
      return found
    },
  }
}

/** A module's bytes cannot be watched. Pyodide imports the same one again, and gets this. */
async function module(url: string, file: PythonFile, add: (bytes: number) => void) {
  try {
    await import(/* @vite-ignore */ url)
  } catch {
    throw new NotLoaded(`${file.name} could not be loaded.`)
  }
  add(file.bytes)
}

async function arrived(url: string, file: PythonFile, add: (bytes: number) => void): Promise<Response> {
  const found = await fetch(url, { integrity: file.integrity ?? '' }).catch(() => null)
  if (!found) throw new NotLoaded(`${file.name} could not be fetched.`)
  if (!found.ok) throw new NotLoaded(`${file.name} answered ${found.status}.`)
  const response = watched(found, add)
  // Compiled while it comes; of the others Pyodide reads some only when it is up, and they would wait half-way.
  return file.name.endsWith('.wasm') ? response : new Response(await response.arrayBuffer(), found)
}

/** The same response, each piece of it counted on its way. */
function watched(response: Response, add: (bytes: number) => void): Response {
  if (!response.body) return response
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      add(piece.byteLength)
      out.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(count), { status: response.status, headers: response.headers })
}
