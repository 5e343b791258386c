import type { App } from '../call/call.ts'
import { AppError } from '../ground/errors.ts'

/** Maximum bytes of an upload or download; undefined for no limit. */
export const transferLimit = ({ config }: Pick<App, 'config'>): number | undefined => {
  const { maxFileTransferSize } = config.appOptions
  return maxFileTransferSize > 0 ? maxFileTransferSize : undefined
}

export const tooLarge = (limit: number) =>
  new AppError(413, `File size exceeds the maximum allowed size of ${limit} bytes.`)
