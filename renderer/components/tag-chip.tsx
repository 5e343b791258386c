import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { organizationQueries } from '../api/organization-queries.ts'
import classes from './tag-chip.module.css'

interface TagChipProps {
  tagId: string
  name: string
  /** Control at the end, such as a button that removes the tag. */
  children?: ReactNode
}

/** A tag in its color; the color is a dot, so that the text keeps its contrast. */
export function TagChip({ tagId, name, children }: TagChipProps) {
  const color = useQuery(organizationQueries.tagOverview).data?.find(({ id }) => id === tagId)?.color
  return (
    <span className={classes.chip}>
      {color && <span className={classes.dot} data-color={color} aria-hidden />}
      <span className="truncate">{name}</span>
      {children}
    </span>
  )
}

export const ColorDot = ({ color }: { color: string | null }) => (
  <span className={classes.dot} data-color={color ?? 'none'} aria-hidden />
)
