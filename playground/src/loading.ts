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
const TOTAL = PYTHON_FILES.reduce((sum, file) => sum + file.bytes, 0)

/** Why Python could not be loaded: a sentence for the reader. */
export class NotLoaded extends Error {
  override name = 'NotLoaded'
}

/**
 * Pyodide with mingraph_lite in it, from the folder at `base`. Rejects with a reason as soon as one file is missing,
 * also where Pyodide itself would wait for it for ever.
 */
export async function loadPython(base: string, tell: (loading: Loading) => void): Promise<PyodideInterface> {
  const files = fetchAll(base, (bytes) => {
    const done = bytes >= TOTAL
    tell({ stage: done ? 'starting Python' : 'its files', bytes, patience: done ? BETWEEN_STAGES : BETWEEN_BYTES })
  })
  const plain = self.fetch
  self.fetch = (asked, init) => files.response(asked) ?? plain(asked, init)
  try {
    return await Promise.race([files.failed, start(base, (stage) => tell(stageOf(stage)))])
  } finally {
    self.fetch = plain
  }
}

export function stageOf(stage: string): Loading {
  return { stage, bytes: TOTAL, patience: BETWEEN_STAGES }
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
function fetchAll(base: string, counted: (bytes: number) => void) {
  let bytes = 0
  let fail: (error: NotLoaded) => void
  const failed = new Promise<never>((_, reject) => {
    fail = reject
  })
  const add = (more: number) => {
    bytes += more
    counted(bytes)
  }
  const responses = new Map<string, Promise<Response>>()
  for (const file of PYTHON_FILES) {
    const url = new URL(file.name, base).href
    if (file.name.endsWith('.mjs')) {
      // A module's bytes cannot be watched; Pyodide imports the same one again, and gets this.
      import(/* @vite-ignore */ url).then(
        () => add(file.bytes),
        () => fail(new NotLoaded(`${file.name} could not be loaded.`)),
      )
      continue
    }
    const response = fetch(url, { integrity: file.integrity ?? '' }).then(
      (found) => {
        if (!found.ok) throw new NotLoaded(`${file.name} answered ${found.status}.`)
        return watched(found, file.bytes, add)
      },
      () => {
        throw new NotLoaded(`${file.name} could not be fetched.`)
      },
    )
    response.catch((error) => fail(error))
    responses.set(url, response)
  }
  return {
    failed,
    /** A response can be read once: whoever asks again asks the host. */
    response(asked: RequestInfo | URL) {
      const url = asked instanceof Request ? asked.url : String(asked)
      const found = responses.get(url)
      responses.delete(url)
      return found
    },
  }
}

/** The same response, each piece of it counted on its way, and the file's whole size in the end. */
function watched(response: Response, size: number, add: (bytes: number) => void): Response {
  if (!response.body) return response
  let seen = 0
  const count = new TransformStream<Uint8Array, Uint8Array>({
    transform(piece, out) {
      const more = Math.min(piece.byteLength, size - seen)
      seen += more
      if (more > 0) add(more)
      out.enqueue(piece)
    },
  })
  return new Response(response.body.pipeThrough(count), { status: response.status, headers: response.headers })
}
