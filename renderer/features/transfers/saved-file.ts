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

/** Hands the bytes to the browser's downloads when all of them are here. */
export function memoryFile(name: string): SavedFile {
  let chunks: Uint8Array<ArrayBuffer>[] = []
  const clear = async () => void (chunks = [])
  return {
    createWritable: async () => ({
      write: async (bytes) => void chunks.push(bytes),
      // A download goes to the beginning only together with `truncate(0)`.
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

/** Long enough for the browser to begin to read the bytes. */
const revokeMs = 60_000
