import { Box, Group } from '@mantine/core'
import type { ReactNode } from 'react'
import { useVisitorTheme } from '../hooks/use-theme.ts'
import * as t from '../texts.ts'
import { Logo } from './logo.tsx'
import { Toasts } from './toasts.tsx'
import classes from './visitor-card.module.css'

interface CardProps {
  title: string
  intro?: string
  /** For pages with text; other cards hold a few fields. */
  isWide?: boolean
  children: ReactNode
}

/** Frame of the pages for visitors without a session. */
export function VisitorCard(props: CardProps) {
  useVisitorTheme()
  return <SingleCard {...props} />
}

/** A page that is one card, without navigation. */
export function SingleCard({ title, intro, isWide, children }: CardProps) {
  return (
    <>
      <main className={classes.page}>
        <div className={classes.card} data-wide={isWide || undefined}>
          <Group gap={10} mb={24} fz={15} fw={640}>
            <Logo size={28} />
            {t.productName}
          </Group>
          <h1>{title}</h1>
          {intro && <p className={classes.intro}>{intro}</p>}
          <Box mt={20}>{children}</Box>
        </div>
      </main>
      <Toasts />
    </>
  )
}
