const separator = ', '

/** Joins paths into texts of at most `length` characters. Only a path that is longer than one text is split. */
export function partsOfPaths(paths: readonly string[], length: number): string[] {
  const parts: string[] = []
  for (const path of paths) {
    const last = parts.at(-1)
    if (last !== undefined && last.length + separator.length + path.length <= length) {
      parts[parts.length - 1] = last + separator + path
    } else {
      for (let start = 0; start < path.length; start += length) {
        parts.push(path.slice(start, start + length))
      }
    }
  }
  return parts
}
