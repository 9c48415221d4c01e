/**
 * Whether the host sends Python's worker a policy of its own: without one, code in Python can reach the network from
 * there. Null where nobody knows, since the host did not answer.
 */
export async function sendsPolicy(worker: string, fetch: typeof globalThis.fetch): Promise<boolean | null> {
  try {
    const response = await fetch(worker, { method: 'HEAD' })
    return response.ok ? response.headers.has('content-security-policy') : null
  } catch {
    return null
  }
}
