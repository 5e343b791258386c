import {
  IconClipboard,
  IconCopy,
  IconLayoutColumns,
  IconLayoutRows,
  IconPlayerRecord,
  IconPlayerRecordFilled,
  IconPlus,
  IconSearch,
  IconShare,
} from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'
import type { SessionRecording } from '../viewer-kit/use-recording.ts'
import { fullScreenAction, toolbarAction, type FullScreenContext } from '../viewer-kit/full-screen-action.ts'
import type { Side, Split } from './layout.ts'

/** Commands of one terminal, for its toolbar and keys. */
export interface PaneHandle {
  focus(): void
  copy(): void
  paste(): void
  clear(): void
  find(): void
  sendPending(): void
  dropPending(): void
  /** Ends the shell. */
  close(): void
}

export interface TerminalContext extends FullScreenContext {
  /** Terminal with the keyboard focus. */
  pane: PaneHandle | undefined
  /** Sharing of the terminal with the keyboard focus; undefined where it cannot be shared. */
  sharing: { hasGuests: boolean; open: () => void } | undefined
  /** Recording of the terminal with the keyboard focus; undefined where nothing may be recorded. */
  recording: SessionRecording | undefined
  hasSelection: boolean
  hasPending: boolean
  canSplit: boolean
  newTab: () => void
  stepTab: (step: 1 | -1) => void
  split: (direction: Split['direction']) => void
  movePane: (side: Side) => void
  closePane: () => void
  changeFontSize: (change: number) => void
  resetFontSize: () => void
}

const sides: Readonly<Record<string, Side>> = {
  'Alt+Shift+ArrowLeft': 'left',
  'Alt+Shift+ArrowUp': 'up',
  'Alt+Shift+ArrowRight': 'right',
  'Alt+Shift+ArrowDown': 'down',
}

export const newTabAction: Action<Pick<TerminalContext, 'newTab'>> = {
  name: 'new-tab',
  label: t.terminal.newTab,
  icon: IconPlus,
  keys: ['Alt+Shift+T'],
  run: ({ newTab }) => newTab(),
}

export const toolbarActions: readonly Action<TerminalContext>[] = [
  {
    name: 'copy',
    label: t.common.copy,
    icon: IconCopy,
    keys: ['Ctrl+Shift+C'],
    isDisabled: ({ hasSelection }) => !hasSelection,
    run: ({ pane }) => pane?.copy(),
  },
  {
    name: 'paste',
    label: t.terminal.paste,
    icon: IconClipboard,
    // Handled by the browser: pasting with this shortcut needs no clipboard permission.
    keysLabel: 'Ctrl+Shift+V',
    run: ({ pane }) => pane?.paste(),
  },
  {
    name: 'find',
    label: t.terminal.find,
    icon: IconSearch,
    keys: ['Ctrl+Shift+F'],
    run: ({ pane }) => pane?.find(),
  },
  {
    name: 'record',
    label: t.viewer.recording.start,
    icon: IconPlayerRecord,
    isOffered: ({ recording }) => recording !== undefined,
    isDisabled: ({ recording }) => recording === undefined || recording.isBusy || recording.state.mode === 'always',
    isOn: ({ recording }) => recording?.state.isRecording ?? false,
    on: { label: t.viewer.recording.stop, icon: IconPlayerRecordFilled },
    run: ({ recording }) => recording?.toggle(),
  },
  {
    name: 'share',
    label: t.terminal.sharing.share,
    icon: IconShare,
    isOffered: ({ sharing }) => sharing !== undefined,
    isOn: ({ sharing }) => sharing?.hasGuests ?? false,
    run: ({ sharing }) => sharing?.open(),
  },
  {
    name: 'split-row',
    label: t.terminal.splitRow,
    icon: IconLayoutColumns,
    keys: ['Alt+Shift++'],
    isDisabled: ({ canSplit }) => !canSplit,
    run: ({ split }) => split('row'),
  },
  {
    name: 'split-column',
    label: t.terminal.splitColumn,
    icon: IconLayoutRows,
    keys: ['Alt+Shift+-', 'Alt+Shift+_'],
    isDisabled: ({ canSplit }) => !canSplit,
    run: ({ split }) => split('column'),
  },
  fullScreenAction('Ctrl+Shift+Enter'),
]

export const menuActions: readonly Action<TerminalContext>[] = [
  {
    name: 'keep-recent',
    label: t.viewer.recording.keep,
    isOffered: ({ recording }) => recording !== undefined,
    run: ({ recording }) => recording?.keep(),
  },
  { name: 'clear', label: t.terminal.clear, run: ({ pane }) => pane?.clear() },
  {
    name: 'smaller',
    label: t.terminal.smaller,
    keys: ['Ctrl+-'],
    run: ({ changeFontSize }) => changeFontSize(-1),
  },
  {
    name: 'larger',
    label: t.terminal.larger,
    keys: ['Ctrl++', 'Ctrl+='],
    run: ({ changeFontSize }) => changeFontSize(1),
  },
  {
    name: 'reset-size',
    label: t.terminal.resetSize,
    keys: ['Ctrl+0'],
    run: ({ resetFontSize }) => resetFontSize(),
  },
]

export const terminalActions: readonly Action<TerminalContext>[] = [
  ...toolbarActions,
  ...menuActions,
  toolbarAction('Ctrl+Shift+ArrowUp'),
  newTabAction,
  {
    name: 'step-tab',
    label: t.terminal.stepTab,
    keys: ['Alt+Shift+PageUp', 'Alt+Shift+PageDown'],
    keysLabel: 'Alt+Shift+PgUp PgDn',
    run: ({ stepTab }, key) => stepTab(key === 'Alt+Shift+PageUp' ? -1 : 1),
  },
  {
    name: 'move-pane',
    label: t.terminal.movePane,
    keys: Object.keys(sides),
    keysLabel: 'Alt+Shift+← ↑ → ↓',
    run: ({ movePane }, key = '') => movePane(sides[key] ?? 'right'),
  },
  {
    name: 'close-pane',
    label: t.terminal.closePaneHint,
    keys: ['Alt+Shift+W'],
    run: ({ closePane }) => closePane(),
  },
  {
    name: 'send-pending',
    label: t.terminal.sendPending,
    keys: ['Ctrl+Enter'],
    isOffered: ({ hasPending }) => hasPending,
    run: ({ pane }) => pane?.sendPending(),
  },
  {
    name: 'drop-pending',
    label: t.terminal.dropPending,
    keys: ['Escape'],
    keysLabel: 'Esc',
    isOffered: ({ hasPending }) => hasPending,
    run: ({ pane }) => pane?.dropPending(),
  },
]
