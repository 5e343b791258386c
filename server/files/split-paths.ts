const separator = ', '

/** Most texts of one list, so that one request does not fill the disk with rows (T20). */
const maxParts = 16

interface PartsOfPaths {
  parts: string[]
  /** Number of paths that no text has. */
  further: number
}

/** Joins paths into texts of at most `length` characters. Only a path that is longer than one text is split. */
export function splitPaths(paths: readonly string[], length: number): PartsOfPaths {
  const parts: string[] = []
  for (const [index, path] of paths.entries()) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + separator.length + path.length <= length) {
      parts[parts.length - 1] = last + separator + path
    } else if (parts.length + Math.ceil(path.length / length) <= maxParts) {
      for (let start = 0; start < path.length; start += length) {
        parts.push(path.slice(start, start + length))
      }
    } else {
      return { parts, further: paths.length - index }
    }
  }
  return { parts, further: 0 }
}
