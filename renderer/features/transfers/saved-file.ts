/** File that a download is written to; handles of the File System Access API are such files. */
export interface SavedFile {
  createWritable(): Promise<{
    write(bytes: Uint8Array<ArrayBuffer>): Promise<void>
    seek(position: number): Promise<void>
    truncate(size: number): Promise<void>
    close(): Promise<void>
    abort(): Promise<void>
  }>
  remove?: () => Promise<void>
}

/** Buffers a download in memory and saves it through the browser when complete. */
export function memoryFile(name: string): SavedFile {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  const clear = async () => void (chunks = [])
  return {
    createWritable: async () => ({
      write: async (bytes) => void chunks.push(bytes),
      // Downloads only seek to 0, right before `truncate(0)`.
      seek: async () => {},
      truncate: clear,
      abort: clear,
      close: async () => {
        const link = document.createElement('a')
        link.href = URL.createObjectURL(new Blob(chunks, { type: 'application/octet-stream' }))
        link.download = name
        link.click()
        await clear()
        setTimeout(() => URL.revokeObjectURL(link.href), revokeMs)
      },
    }),
  }
}

/** Delay until the browser has surely started to read the bytes. */
const revokeMs = 60_000
