import { Group } from '@mantine/core'
import { useEffect, useRef, type ReactNode } from 'react'
import { useLocation } from 'react-router'
import classes from './account-page.module.css'

interface SectionProps {
  /** Fragment of the address that opens the page at this section. */
  id?: string
  title: string
  /** Purpose of the section, in one or two sentences. */
  hint?: ReactNode
  /** State beside the title. */
  mark?: ReactNode
  children: ReactNode
}

/** A titled box of the account page. */
export function Section({ id, title, hint, mark, children }: SectionProps) {
  const section = useRef<HTMLElement>(null)
  const { hash } = useLocation()
  const isAskedFor = id !== undefined && hash === `#${id}`
  useEffect(() => {
    if (isAskedFor) {
      section.current?.scrollIntoView()
    }
  }, [isAskedFor])
  return (
    <section ref={section} id={id} className={classes.section} aria-label={title}>
      <Group gap={8}>
        <h2>{title}</h2>
        {mark}
      </Group>
      {hint && <p className={classes.hint}>{hint}</p>}
      {children}
    </section>
  )
}
