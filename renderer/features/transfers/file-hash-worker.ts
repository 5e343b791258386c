import type { HashProgress } from './file-hash.ts'
import { sha256Of } from './sha256.ts'

addEventListener('message', ({ data: file }: MessageEvent<File>) => {
  const post = (progress: HashProgress) => postMessage(progress)
  sha256Of(file, (bytes) => post({ bytes })).then(
    (sha256) => post({ bytes: file.size, sha256 }),
    () => post({ bytes: 0, isUnreadable: true }),
  )
})
