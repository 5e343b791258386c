import { IconKeyboard, IconPlugX, IconPointerOff } from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { fullScreenAction, toolbarAction, type FullScreenContext } from '../viewer-kit/full-screen-action.ts'

interface VncContext extends FullScreenContext {
  isOpen: boolean
  isViewOnly: boolean
  setViewOnly: (isViewOnly: boolean) => void
  sendCtrlAltDel: () => void
  disconnect: () => void
}

export const vncActions: readonly Action<VncContext>[] = [
  {
    name: 'view-only',
    label: t.viewer.viewOnly,
    hint: t.viewer.viewOnlyHint,
    icon: IconPointerOff,
    isOn: ({ isViewOnly }) => isViewOnly,
    run: ({ isViewOnly, setViewOnly }) => setViewOnly(!isViewOnly),
  },
  {
    name: 'ctrl-alt-del',
    label: t.vnc.ctrlAltDel,
    icon: IconKeyboard,
    isDisabled: ({ isOpen, isViewOnly }) => !isOpen || isViewOnly,
    run: ({ sendCtrlAltDel }) => sendCtrlAltDel(),
  },
  fullScreenAction('Ctrl+Shift+Enter'),
  toolbarAction('Ctrl+Shift+ArrowUp'),
  {
    name: 'disconnect',
    label: t.viewer.disconnect,
    icon: IconPlugX,
    isDangerous: true,
    run: ({ disconnect }) => disconnect(),
  },
]
