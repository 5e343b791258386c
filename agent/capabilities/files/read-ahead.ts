interface Entry {
  size: number
  content?: () => AsyncIterable<Uint8Array>
}

type Content = Iterable<Uint8Array> | AsyncIterable<Uint8Array>

/** Largest content that is read ahead. */
const smallBytes = 64 * 1024
/** Contents that are read at the same time: each alone would wait for the disk as often as there are files. */
const readTogether = 16

async function collect(content: AsyncIterable<Uint8Array>): Promise<Content> {
  const chunks: Uint8Array[] = []
  for await (const chunk of content) {
    // The source reads into the same buffer again.
    chunks.push(Uint8Array.from(chunk))
  }
  return chunks
}

/** Starts reading a small content; the consumer reads a large one itself. */
async function begin({ size, content }: Entry): Promise<Content> {
  return content === undefined ? [] : size <= smallBytes ? await collect(content()) : content()
}

/** Yields entries with their contents, in their order. Throws where a content cannot be read, once it is next. */
export async function* withContents<E extends Entry>(entries: readonly E[]): AsyncIterable<[E, Content]> {
  const ahead: Promise<Content>[] = []
  for (const [index, entry] of entries.entries()) {
    while (ahead.length < readTogether && index + ahead.length < entries.length) {
      const content = begin(entries[index + ahead.length]!)
      content.catch(() => {})
      ahead.push(content)
    }
    yield [entry, await ahead.shift()!]
  }
}
