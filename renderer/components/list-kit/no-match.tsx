import { IconSearchOff } from '@tabler/icons-react'
import { useEffect, type ComponentProps } from 'react'
import { EmptyState } from '../empty-state.tsx'
import { focusSearchIfLost } from '../list-focus.ts'

/** Shown in place of the rows while the search or the filters hide all. */
export function NoMatchState(props: Omit<ComponentProps<typeof EmptyState>, 'icon'>) {
  useEffect(focusSearchIfLost, [])
  return <EmptyState icon={IconSearchOff} {...props} />
}
