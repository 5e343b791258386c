import type { ReactNode } from 'react'
import classes from './page-head.module.css'

interface PageHeadProps {
  title: string
  /** One line of what the page is. */
  intro: ReactNode
  /** The primary action. */
  action?: ReactNode
}

export const PageHead = ({ title, intro, action }: PageHeadProps) => (
  <header className={classes.head}>
    <div className={classes.words}>
      <h1>{title}</h1>
      <p className={classes.intro}>{intro}</p>
    </div>
    {action}
  </header>
)
