// Replies on their way to Python: what came and was not read yet, and who is waiting for more.

interface Waiting {
  settle: (value: unknown) => void
  fail: (error: Error) => void
}

interface Reply {
  arrived: unknown[]
  waiting: Waiting | null
  over: Error | 'end' | null
}

/** Stop was pressed. */
export class Stopped extends Error {
  override name = 'Stopped'
}

/** Nothing came for the whole patience: the server may still compute, and is not asked on top. */
export class Silent extends Error {
  override name = 'Silent'
}

export function makeReplies() {
  const open = new Map<number, Reply>()
  let last = 0

  function finish(id: number, over: Error | 'end') {
    const reply = open.get(id)
    if (!reply) return
    reply.over = over
    const waiting = reply.waiting
    reply.waiting = null
    if (waiting && over === 'end') waiting.settle(undefined)
    else if (waiting) waiting.fail(over as Error)
  }

  return {
    begin() {
      open.set(++last, { arrived: [], waiting: null, over: null })
      return last
    },
    read(id: number): Promise<unknown> {
      const reply = open.get(id)
      return new Promise((settle, fail) => {
        if (!reply) return fail(new Stopped('This reply is closed.'))
        if (reply.arrived.length) return settle(reply.arrived.shift())
        if (reply.over === 'end') return settle(undefined)
        if (reply.over) return fail(reply.over)
        reply.waiting = { settle, fail }
      })
    },
    arrive(id: number, value: unknown) {
      const reply = open.get(id)
      if (!reply) return
      const waiting = reply.waiting
      reply.waiting = null
      if (waiting) waiting.settle(value)
      else reply.arrived.push(value)
    },
    finish,
    /** Nobody waits any more, and what came and was not read is gone. */
    stopAll(why: Error) {
      for (const [id, reply] of open) {
        reply.arrived = []
        finish(id, why)
      }
    },
    drop: (id: number) => open.delete(id),
  }
}
