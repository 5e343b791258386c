import { useQuery } from '@tanstack/react-query'
import { queries } from '../../api/queries.ts'
import { files as t } from '../../strings/en-files.ts'
import { byteSize } from '../../strings/format.ts'
import { visibleName } from '../../strings/visible-name.ts'

interface Sized {
  name: string
  size: number
}

/** Maximum file size of the server, checked before an upload starts. */
export function useTransferLimit() {
  const { data: limit = Infinity } = useQuery(queries.transferLimit)
  return {
    limit,
    /** Text about files that are too large; undefined when none is. */
    problemOf(files: readonly Sized[]): string | undefined {
      const [first, ...others] = files.filter(({ size }) => size > limit)
      return first && t.tooLarge(visibleName(first.name), byteSize(first.size), others.length, byteSize(limit))
    },
  }
}
