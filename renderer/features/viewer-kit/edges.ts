export const edges = ['top', 'right', 'bottom', 'left'] as const
/** Edge of a session's room that its toolbar is at. */
export type Edge = (typeof edges)[number]

export const oppositeOf = { top: 'bottom', bottom: 'top', left: 'right', right: 'left' } as const

export const isVertical = (edge: Edge) => edge === 'left' || edge === 'right'
