import { Group } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './account-page.module.css'

interface SectionProps {
  title: string
  /** Purpose of the section, in one or two sentences. */
  hint?: ReactNode
  /** State beside the title. */
  mark?: ReactNode
  children: ReactNode
}

/** A titled box of the account page. */
export const Section = ({ title, hint, mark, children }: SectionProps) => (
  <section className={classes.section} aria-label={title}>
    <Group gap={8}>
      <h2>{title}</h2>
      {mark}
    </Group>
    {hint && <p className={classes.hint}>{hint}</p>}
    {children}
  </section>
)
