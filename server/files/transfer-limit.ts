import type { Config } from '../settings/config.ts'

/** Maximum bytes of an upload or download; undefined for no limit. */
export const transferLimit = ({ config }: { config: Pick<Config, 'appOptions'> }): number | undefined => {
  const { maxFileTransferSize } = config.appOptions
  return maxFileTransferSize > 0 ? maxFileTransferSize : undefined
}
