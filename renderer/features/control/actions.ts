import { IconKeyboardShow, IconPlugX, IconPointerOff } from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import { fullScreenAction, toolbarAction, type FullScreenContext } from '../viewer-kit/full-screen-action.ts'

/** Target of the actions of the toolbar and the keyboard. */
export interface ControlContext extends FullScreenContext {
  isViewOnly: boolean
  canInteract: boolean
  setViewOnly: (isViewOnly: boolean) => void
  hasTouch: boolean
  isKeyboardOnScreen: boolean
  showKeyboard: (isShown: boolean) => void
  showDisplay: (index: number) => void
  end: () => void
}

const displayKeys = Array.from({ length: 9 }, (_, index) => `Ctrl+Alt+Shift+${index + 1}`)

/** The keys of these actions never reach the device. */
export const controlActions: readonly Action<ControlContext>[] = [
  {
    name: 'view-only',
    label: t.viewer.viewOnly,
    hint: t.viewer.viewOnlyHint,
    icon: IconPointerOff,
    keys: ['Ctrl+Alt+Shift+V'],
    isDisabled: ({ canInteract }) => !canInteract,
    isOn: ({ isViewOnly }) => isViewOnly,
    run: ({ isViewOnly, setViewOnly }) => setViewOnly(!isViewOnly),
  },
  {
    name: 'screen-keyboard',
    label: t.control.onScreenKeyboard,
    icon: IconKeyboardShow,
    isOffered: ({ hasTouch }) => hasTouch,
    isDisabled: ({ isViewOnly }) => isViewOnly,
    isOn: ({ isKeyboardOnScreen }) => isKeyboardOnScreen,
    run: ({ isKeyboardOnScreen, showKeyboard }) => showKeyboard(!isKeyboardOnScreen),
  },
  fullScreenAction('Ctrl+Alt+Shift+F'),
  toolbarAction('Ctrl+Alt+Shift+T'),
  {
    name: 'display',
    label: t.control.showDisplay,
    keys: displayKeys,
    keysLabel: 'Ctrl+Alt+Shift+1…9',
    run: ({ showDisplay }, key = '') => showDisplay(displayKeys.indexOf(key)),
  },
  {
    name: 'end',
    label: t.control.end,
    icon: IconPlugX,
    isDangerous: true,
    run: ({ end }) => end(),
  },
]
