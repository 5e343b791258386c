import {
  IconCamera,
  IconDeviceDesktop,
  IconDownload,
  IconFileText,
  IconMessage,
  IconPlayerPlay,
  IconScreenShare,
  IconTerminal2,
  IconUpload,
  type Icon,
} from '@tabler/icons-react'
import type { RemoteSessionKind } from '../../shared/dtos/remote-session.ts'

/** Kinds of sessions, in menu order. */
export const sessionIcons: Readonly<Record<RemoteSessionKind, Icon>> = {
  'remote-control': IconDeviceDesktop,
  vnc: IconScreenShare,
  terminal: IconTerminal2,
  command: IconPlayerPlay,
  chat: IconMessage,
  upload: IconUpload,
  download: IconDownload,
  logs: IconFileText,
  preview: IconCamera,
}

const isKind = (name: string): name is RemoteSessionKind => name in sessionIcons
export const sessionKinds: readonly RemoteSessionKind[] = Object.keys(sessionIcons).filter(isKind)
