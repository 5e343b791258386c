import { ActionIcon, Tooltip, type ActionIconProps } from '@mantine/core'
import type { MouseEvent, ReactNode, Ref } from 'react'

interface IconButtonProps extends ActionIconProps {
  ref?: Ref<HTMLButtonElement>
  label: string
  /** Tooltip, if it says more than the label. */
  hint?: string
  icon: ReactNode
  'aria-pressed'?: boolean
  onClick: (event: MouseEvent) => void
}

/** Button that shows only an icon; its label is a tooltip. */
export const IconButton = ({ label, hint = label, icon, ...button }: IconButtonProps) => (
  <Tooltip label={hint}>
    <ActionIcon aria-label={label} {...button}>
      {icon}
    </ActionIcon>
  </Tooltip>
)
