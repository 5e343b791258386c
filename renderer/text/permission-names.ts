import type { PermissionName } from '../../shared/access.ts'
import { permissionTexts } from '../../shared/permission-texts.ts'

const texts: Readonly<Record<string, { displayName: string } | undefined>> = permissionTexts

/** Display name of a permission in a sentence of ours. */
export const quoted = (name: PermissionName): string => `“${permissionTexts[name].displayName}”`

/** A sentence of the server, whose API names permissions as programs do, with their display names. */
export const withDisplayNames = (sentence: string): string =>
  sentence.replaceAll(/[a-z-]+(?:\.[a-z-]+)+/g, (name) => (texts[name] ? `“${texts[name].displayName}”` : name))
