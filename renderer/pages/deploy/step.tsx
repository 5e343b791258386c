import { IconCheck } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import classes from './deploy-page.module.css'

interface StepProps {
  number: number
  title: string
  isDone?: boolean
  action?: ReactNode
  children: ReactNode
}

export const Step = ({ number, title, isDone, action, children }: StepProps) => (
  <section className={classes.step} aria-label={title}>
    <span className={classes.number} data-done={isDone || undefined} aria-hidden>
      {isDone ? <IconCheck size={15} stroke={2.6} /> : number}
    </span>
    <div className={classes.stepTitle}>
      <h2>{title}</h2>
      {action}
    </div>
    <div className={classes.stepBody}>{children}</div>
  </section>
)
