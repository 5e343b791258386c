import { ActionIcon, Tooltip, type FloatingPosition } from '@mantine/core'
import { isUsable, shownIcon, shownKeys, shownLabel, type Action } from './actions.ts'

interface ActionButtonProps<Context> {
  action: Action<Context>
  context: Context
  size?: number
  tooltipPosition?: FloatingPosition
}

/** Button of an action. A disabled button keeps its place and the focus. */
export function ActionButton<Context>({ action, context, size = 28, tooltipPosition }: ActionButtonProps<Context>) {
  const label = shownLabel(action, context)
  const keys = shownKeys(action).join('+')
  const isOn = action.isOn?.(context) ?? false
  const Icon = shownIcon(action, context)
  const isDisabled = !isUsable(action, context)
  return (
    Icon && (
      <Tooltip label={`${action.hint ?? label}${keys && ` (${keys})`}`} position={tooltipPosition}>
        <ActionIcon
          size={size}
          aria-label={label}
          aria-pressed={action.isOn && !action.on ? isOn : undefined}
          aria-disabled={isDisabled}
          data-disabled={isDisabled || undefined}
          color={action.isDangerous ? 'danger' : undefined}
          onClick={() => !isDisabled && action.run(context)}
        >
          <Icon size={16} stroke={1.6} />
        </ActionIcon>
      </Tooltip>
    )
  )
}
