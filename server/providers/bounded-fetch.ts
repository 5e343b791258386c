/** Longest answer of a provider; the largest real ones have 20 KB. */
const maxBytes = 256 * 1024

/** Time for one answer with its body. */
const timeoutMs = 8_000

async function readBounded(body: ReadableStream<Uint8Array> | null): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of body ?? []) {
    length += chunk.length
    if (length > maxBytes) {
      throw new Error(`The provider sent more than ${maxBytes / 1024} KiB.`)
    }
    chunks.push(chunk)
  }
  return new Uint8Array(Buffer.concat(chunks))
}

/** Statuses whose responses cannot carry a body. */
const bodyless = new Set([101, 103, 204, 205, 304])

/** Sends a request to a provider: follows no redirect, and bounds time and bytes of the answer, decompressed. */
export async function boundedFetch(url: string, options: RequestInit): Promise<Response> {
  const signal = AbortSignal.timeout(timeoutMs)
  const response = await fetch(url, { ...options, redirect: 'manual', signal })
  const bytes = await readBounded(response.body)
  const { status, statusText, headers } = response
  return new Response(bodyless.has(status) ? null : bytes, { status, statusText, headers })
}
