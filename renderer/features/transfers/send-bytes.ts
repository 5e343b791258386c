import type { ApiError } from '../../../shared/contract/client.ts'
import { failureOf } from '../../api/files.ts'
import { pageHeaders } from '../../api/page-key.ts'

interface BytesRequest {
  method: string
  url: string
  headers?: Record<string, string>
  body: Blob | FormData
  signal: AbortSignal
  /** Number of sent bytes. */
  onProgress: (bytes: number) => void
}

/**
 * Sends a body of any size. Uses XMLHttpRequest because `fetch` does not report upload progress. Returns the response;
 * throws `ApiError` for an error status, and `TypeError` without a response.
 */
export const sendBytes = ({ method, url, headers = {}, body, signal, onProgress }: BytesRequest): Promise<Response> =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    const fail = () => reject(new TypeError('No answer.'))
    const stop = () => request.abort()
    if (signal.aborted) {
      fail()
      return
    }
    request.open(method, url)
    request.responseType = 'text'
    Object.entries({ accept: 'application/json', ...headers, ...pageHeaders }).forEach(([name, value]) =>
      request.setRequestHeader(name, value),
    )
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onerror = fail
    request.onabort = fail
    request.onload = () => {
      const answer = new Response(request.status === 204 ? null : request.responseText, { status: request.status })
      if (answer.ok) {
        resolve(answer)
      } else {
        void failureOf(answer).then((error: ApiError) => reject(error))
      }
    }
    request.onloadend = () => signal.removeEventListener('abort', stop)
    signal.addEventListener('abort', stop)
    request.send(body)
  })
