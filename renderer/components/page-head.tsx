import type { ReactNode } from 'react'
import classes from './page-head.module.css'

interface PageHeadProps {
  /** Above the title. */
  back?: ReactNode
  title: string
  /** Short description of the page. */
  intro: ReactNode
  action?: ReactNode
}

export const PageHead = ({ back, title, intro, action }: PageHeadProps) => (
  <header className={classes.head}>
    <div className={classes.words}>
      {back}
      <h1>{title}</h1>
      <p className={classes.intro}>{intro}</p>
    </div>
    {action}
  </header>
)
