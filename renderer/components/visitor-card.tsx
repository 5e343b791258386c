import type { ReactNode } from 'react'
import { en as t } from '../strings/en.ts'
import { Logo } from './logo.tsx'
import classes from './visitor-card.module.css'

interface VisitorCardProps {
  title: string
  intro?: string
  /** For pages to read, where the others ask for a few fields. */
  isWide?: boolean
  children: ReactNode
}

/** The frame of the pages for people who are not signed in. */
export const VisitorCard = ({ title, intro, isWide, children }: VisitorCardProps) => (
  <main className={classes.page}>
    <div className={classes.card} data-wide={isWide || undefined}>
      <div className={classes.brand}>
        <Logo size={28} />
        {t.productName}
      </div>
      <h1>{title}</h1>
      {intro && <p className={classes.intro}>{intro}</p>}
      <div className={classes.content}>{children}</div>
    </div>
  </main>
)
