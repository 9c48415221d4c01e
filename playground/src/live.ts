// The page's end of a model call: fetch what Python asks for, and hand the pieces back as they arrive.
import type { Keeper } from './keeper'
import type { Asked, ToWorker } from './messages'

export type Failure = { kind: 'unreachable' } | { kind: 'status'; status: number }

export function makeLine(
  keeper: Keeper,
  reply: (message: ToWorker) => void,
  failed: (failure: Failure | null) => void,
) {
  const open = new Map<number, AbortController>()

  async function serve(asked: Asked) {
    const abort = new AbortController()
    open.set(asked.id, abort)
    let begun = false
    let patience: ReturnType<typeof setTimeout> | undefined
    const wait = () => {
      clearTimeout(patience)
      patience = setTimeout(() => abort.abort('timeout'), asked.timeout * 1000)
    }
    try {
      wait()
      const response = await keeper.send(asked, abort.signal)
      failed(response.ok ? null : { kind: 'status', status: response.status })
      reply({ type: 'head', id: asked.id, status: response.status, headers: [...response.headers] })
      const reader = response.body?.getReader()
      for (let piece = await reader?.read(); piece && !piece.done; piece = await reader?.read()) {
        wait()
        begun = true
        reply({ type: 'chunk', id: asked.id, bytes: piece.value })
      }
      reply({ type: 'end', id: asked.id })
    } catch (error) {
      const silent = abort.signal.reason === 'timeout' && !begun
      reply({ type: 'trouble', id: asked.id, what: explain(error, abort, asked, silent), silent })
      if (!abort.signal.aborted) failed({ kind: 'unreachable' })
    } finally {
      clearTimeout(patience)
      open.delete(asked.id)
    }
  }

  function drop(id: number) {
    open.get(id)?.abort('dropped')
  }

  return {
    serve: (asked: Asked) => void serve(asked),
    drop,
    dropAll: () => [...open.keys()].forEach(drop),
    isWaiting: () => open.size > 0,
  }
}

function explain(error: unknown, abort: AbortController, asked: Asked, silent: boolean): string {
  if (silent)
    return `${asked.url} sent nothing for ${asked.timeout} seconds. It may still be computing, so it is not asked again by itself.`
  if (abort.signal.reason === 'timeout')
    return `${asked.url} began a reply and then sent nothing for ${asked.timeout} seconds.`
  if (error instanceof TypeError)
    return `The browser could not reach ${asked.url}. "Why?" on the page lists the likely causes.`
  return error instanceof Error ? error.message : String(error)
}
