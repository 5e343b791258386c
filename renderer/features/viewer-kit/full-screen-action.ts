import { IconArrowsMaximize, IconArrowsMinimize } from '@tabler/icons-react'
import type { Action } from '../../components/actions.ts'
import * as t from '../../texts.ts'

/** Context of actions that all viewers share. */
export interface FullScreenContext {
  isFullScreen: boolean
  toggleFullScreen: () => void
  focusToolbar: () => void
}

export const fullScreenAction = (keys: string): Action<Omit<FullScreenContext, 'focusToolbar'>> => ({
  name: 'full-screen',
  label: t.viewer.fullScreen,
  icon: IconArrowsMaximize,
  keys: [keys],
  isOn: ({ isFullScreen }) => isFullScreen,
  on: { label: t.viewer.leaveFullScreen, icon: IconArrowsMinimize },
  run: ({ toggleFullScreen }) => toggleFullScreen(),
})

export const toolbarAction = (keys: string): Action<FullScreenContext> => ({
  name: 'toolbar',
  label: t.viewer.focusToolbar,
  keys: [keys],
  run: ({ focusToolbar }) => focusToolbar(),
})
