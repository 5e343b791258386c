export const edges = ['top', 'right', 'bottom', 'left'] as const
/** Edge of the room at which the toolbar is docked. */
export type Edge = (typeof edges)[number]

export const oppositeOf = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' } as const

export const isVertical = (edge: Edge) => edge === 'left' || edge === 'right'
