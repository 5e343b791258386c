import type { ReactNode } from 'react'
import { en as t } from '../strings/en.ts'
import { Logo } from './logo.tsx'
import classes from './visitor-card.module.css'

/** The frame of the pages for people who are not signed in. */
export const VisitorCard = ({ title, intro, children }: { title: string; intro?: string; children: ReactNode }) => (
  <main className={classes.page}>
    <div className={classes.card}>
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
