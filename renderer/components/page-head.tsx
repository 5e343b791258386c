import type { ReactNode } from 'react'
import classes from './page-head.module.css'

interface PageHeadProps {
  title: string
  /** Short description of the page. */
  intro: ReactNode
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
