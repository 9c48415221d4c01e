// The worker's end of the port to the page, out of reach for the Python that runs beside it.
import type { FromWorker, ToWorker } from './messages'

// Python can replace what these names mean, and a port that goes through a replaced method is a port that Python has.
// So they are taken here, before there is a Python.
const call = Function.prototype.call
const post = call.bind(MessagePort.prototype.postMessage) as (port: MessagePort, message: FromWorker) => void
const dataOf = call.bind(Object.getOwnPropertyDescriptor(MessageEvent.prototype, 'data')!.get!) as (
  event: MessageEvent,
) => ToWorker

export function makeWire(port: MessagePort, hear: (message: ToWorker) => void) {
  port.onmessage = (event) => hear(dataOf(event))
  return (message: FromWorker) => post(port, message)
}

/**
 * What the browser keeps for this origin, how its pages talk to each other, and what ends a worker without a word: none
 * of it is Python's business.
 */
const DOORS = [
  'indexedDB',
  'caches',
  'BroadcastChannel',
  'cookieStore',
  'storage',
  'locks',
  'webkitRequestFileSystem',
  'close',
]

/** Takes the names away. It is a fence and no wall: the page keeps nothing there that could be stolen or forged. */
export function shutDoors() {
  for (const start of [self, self.navigator]) {
    for (let holder: object | null = start; holder; holder = Object.getPrototypeOf(holder)) {
      for (const name of DOORS) Reflect.deleteProperty(holder, name)
    }
  }
}
