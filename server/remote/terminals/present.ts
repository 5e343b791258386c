import { instant } from '../../ground/instant.ts'
import type { DeviceTerminalDto } from '../../../shared/dtos/terminal.ts'
import type { Terminal } from './terminal-mirror.ts'

export const presentTerminal = ({ id, shell, usedAt }: Terminal): DeviceTerminalDto => ({
  id,
  shell: shell ?? null,
  usedAt: instant(usedAt),
})
