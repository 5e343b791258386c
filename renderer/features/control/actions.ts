import {
  IconCamera,
  IconKeyboardShow,
  IconPlayerRecord,
  IconPlayerRecordFilled,
  IconPlugX,
  IconPointerOff,
} from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import type { SessionRecording } from '../viewer-kit/use-recording.ts'
import { fullScreenAction, toolbarAction, type FullScreenContext } from '../viewer-kit/full-screen-action.ts'

/** Target of the actions of the toolbar and the keyboard. */
export interface ControlContext extends FullScreenContext {
  isViewOnly: boolean
  canInteract: boolean
  setViewOnly: (isViewOnly: boolean) => void
  hasTouch: boolean
  isKeyboardOnScreen: boolean
  showKeyboard: (isShown: boolean) => void
  /** Shows a display by its place in the list; all of them for -1. */
  showDisplay: (index: number) => void
  hasPicture: boolean
  takeScreenshot: () => void
  /** Undefined where nothing may be recorded. */
  recording: SessionRecording | undefined
  end: () => void
}

/** The key of all displays, then those of the first nine. */
const displayKeys = Array.from({ length: 10 }, (_, index) => `Ctrl+Alt+Shift+${index}`)

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
  {
    name: 'screenshot',
    label: t.control.screenshot.take,
    icon: IconCamera,
    keys: ['Ctrl+Alt+Shift+S'],
    isDisabled: ({ hasPicture }) => !hasPicture,
    run: ({ takeScreenshot }) => takeScreenshot(),
  },
  {
    name: 'record',
    label: t.viewer.recording.start,
    icon: IconPlayerRecord,
    keys: ['Ctrl+Alt+Shift+R'],
    isOffered: ({ recording }) => recording !== undefined && recording.state.mode !== 'always',
    isDisabled: ({ recording }) => recording?.isBusy ?? true,
    isOn: ({ recording }) => recording?.state.isRecording ?? false,
    on: { label: t.viewer.recording.stop, icon: IconPlayerRecordFilled },
    run: ({ recording }) => recording?.toggle(),
  },
  fullScreenAction('Ctrl+Alt+Shift+F'),
  toolbarAction('Ctrl+Alt+Shift+T'),
  {
    name: 'display',
    label: t.control.showDisplay,
    keys: displayKeys,
    keysLabel: 'Ctrl+Alt+Shift+0…9',
    run: ({ showDisplay }, key = '') => showDisplay(displayKeys.indexOf(key) - 1),
  },
  {
    name: 'end',
    label: t.control.end,
    icon: IconPlugX,
    isDangerous: true,
    run: ({ end }) => end(),
  },
]
