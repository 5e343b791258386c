import { Group } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { IconButton } from '../icon-button.tsx'
import * as t from '../../texts.ts'
import { focusList } from '../list-focus.ts'
import { PaneFrame } from '../pane-frame.tsx'
import pane from '../pane-frame.module.css'

interface SidePaneProps {
  title: string
  /** Name for screen readers, if the title alone is not enough. */
  label?: string
  /** Badges below the title. */
  marks?: ReactNode
  onClose: () => void
  children: ReactNode
}

/** Side pane of one thing of a list: title, close button, content. */
export const SidePane = ({ title, label = title, marks, onClose, children }: SidePaneProps) => (
  <PaneFrame label={label}>
    <Group wrap="nowrap" gap={8} align="flex-start" mb={12}>
      <div className={pane.title}>
        <h2>
          <bdi>{title}</bdi>
        </h2>
        {marks}
      </div>
      <IconButton
        label={t.lists.closePane}
        icon={<IconX size={18} stroke={1.6} />}
        onClick={() => {
          onClose()
          focusList()
        }}
      />
    </Group>
    {children}
  </PaneFrame>
)

interface PaneSectionProps {
  title: string
  hint?: ReactNode
  children: ReactNode
}

export const PaneSection = ({ title, hint, children }: PaneSectionProps) => (
  <section className={pane.section} aria-label={title}>
    <h3>{title}</h3>
    {hint && <p className="small muted">{hint}</p>}
    {children}
  </section>
)
