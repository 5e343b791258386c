import type { App } from '../call/call.ts'

/** Maximum bytes of an upload or download; undefined for no limit. */
export const transferLimit = ({ config }: Pick<App, 'config'>): number | undefined => {
  const { maxFileTransferSize } = config.appOptions
  return maxFileTransferSize > 0 ? maxFileTransferSize : undefined
}
