import { sha256Of } from './sha256.ts'

/** Message of the worker after each chunk. */
export interface HashProgress {
  /** Number of hashed bytes. */
  bytes: number
  /** SHA-256 of the whole file, sent with the last message. */
  sha256?: string
  isUnreadable?: boolean
}

/**
 * Hashes a file in a worker, in parallel to the upload. Falls back to the page if the worker fails, for example when
 * its script cannot be loaded. Stops with the signal.
 */
export class FileHash {
  readonly sha256: Promise<string>
  bytes = 0
  onProgress: () => void = () => {}

  constructor(file: File, signal: AbortSignal) {
    const worker = new Worker(new URL('./file-hash-worker.ts', import.meta.url), { type: 'module' })
    this.sha256 = new Promise<string>((resolve, reject) => {
      const showProgress = (bytes: number) => {
        this.bytes = bytes
        this.onProgress()
      }
      worker.addEventListener('message', ({ data }: MessageEvent<HashProgress>) => {
        showProgress(data.bytes)
        if (data.sha256 !== undefined) {
          resolve(data.sha256)
        } else if (data.isUnreadable) {
          reject(new Error('changed'))
        }
      })
      worker.addEventListener('error', () => {
        sha256Of(file, showProgress, signal).then(resolve, () => reject(new Error('changed')))
      })
      signal.addEventListener('abort', () => reject(new Error('aborted')), { once: true })
    }).finally(() => worker.terminate())
    // The upload may fail or be canceled before anything awaits the hash.
    this.sha256.catch(() => {})
    worker.postMessage(file)
  }
}
