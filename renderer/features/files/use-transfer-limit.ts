import { useQuery } from '@tanstack/react-query'
import { serverQueries } from '../../api/server-queries.ts'
import * as t from '../../texts.ts'
import { byteSize } from '../../text/format.ts'
import { visibleName } from '../../text/visible-name.ts'

interface Sized {
  name: string
  size: number
}

/** Maximum file size of the server, checked before an upload starts. */
export function useTransferLimit() {
  const { data: limit = Infinity } = useQuery(serverQueries.transferLimit)
  return {
    limit,
    /** Text about files that are too large; undefined when none is. */
    problemOf(files: readonly Sized[]): string | undefined {
      const [first, ...others] = files.filter(({ size }) => size > limit)
      return first && t.files.tooLarge(visibleName(first.name), byteSize(first.size), others.length, byteSize(limit))
    },
  }
}
