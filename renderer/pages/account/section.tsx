import type { ReactNode } from 'react'
import classes from './account-page.module.css'

interface SectionProps {
  title: string
  /** One or two sentences on the purpose. */
  hint?: ReactNode
  children: ReactNode
}

/** A titled box of the account page. */
export const Section = ({ title, hint, children }: SectionProps) => (
  <section className={classes.section} aria-label={title}>
    <h2>{title}</h2>
    {hint && <p className={classes.hint}>{hint}</p>}
    {children}
  </section>
)
