import { visibleName } from './visible-name.ts'

interface NamedDevice {
  name: string
  alias?: string | null
}

/** Name of a device for people, safe to show: its alias, else the name that its agent reports. */
export const nameOfDevice = ({ name, alias }: NamedDevice): string => visibleName(alias || name)
