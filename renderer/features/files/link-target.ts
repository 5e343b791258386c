import { childOf, parentOf } from '../../api/device-path.ts'
import type { Entry, FilePlace } from '../../api/files.ts'
import { api } from '../../api/http.ts'
import { ApiError } from '../../../shared/contract/client.ts'
import * as t from '../../texts.ts'

/** Maximum number of links in a row. */
const mostLinks = 8

const isAbsolute = (path: string) => /^[/\\]|^[a-z]:/i.test(path)

/** Path of the file behind an entry: an upload to the path of a link would replace the link. */
export async function pathBehind({ deviceId }: FilePlace, { fullPath, isLink }: Entry): Promise<string> {
  let path = fullPath
  for (let links = 0; isLink && links <= mostLinks; links++) {
    const { linkTarget } = await api.fileProperties.facts({ params: { deviceId }, body: { path } })
    if (linkTarget === undefined) {
      return path
    }
    path = isAbsolute(linkTarget) ? linkTarget : childOf(parentOf(path) ?? '', linkTarget)
  }
  if (isLink) {
    throw new ApiError(409, undefined, t.files.view.tooManyLinks)
  }
  return path
}
