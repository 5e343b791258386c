import { Fragment, type ReactNode } from 'react'
import classes from './markdown.module.css'
import { parseBlocks, parseInline, type Block, type Inline } from './markdown-blocks.ts'

const inline = (parts: readonly Inline[]): ReactNode =>
  parts.map((part, index) => {
    switch (part.kind) {
      case 'text':
        return <Fragment key={index}>{part.text}</Fragment>
      case 'code':
        return <code key={index}>{part.text}</code>
      case 'strong':
        return <strong key={index}>{inline(part.parts)}</strong>
      case 'emphasis':
        return <em key={index}>{inline(part.parts)}</em>
      case 'link':
        return (
          <a key={index} href={part.href} target="_blank" rel="noopener noreferrer nofollow">
            {part.text}
          </a>
        )
    }
  })

const lines = (texts: readonly string[]) =>
  texts.map((text, index) => (
    <Fragment key={index}>
      {index > 0 && <br />}
      {inline(parseInline(text))}
    </Fragment>
  ))

function BlockView({ block }: { block: Block }) {
  switch (block.kind) {
    case 'heading':
      return <h3>{inline(parseInline(block.text))}</h3>
    case 'code':
      return (
        <pre>
          <code>{block.text}</code>
        </pre>
      )
    case 'list': {
      const items = block.items.map((item, index) => <li key={index}>{inline(parseInline(item))}</li>)
      return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>
    }
    case 'quote':
      return <blockquote>{lines(block.lines)}</blockquote>
    case 'paragraph':
      return <p>{lines(block.lines)}</p>
  }
}

/** Markdown of a person as elements of React: no text becomes HTML, and links are http, https or mailto. */
export const Markdown = ({ text }: { text: string }) => (
  <div className={classes.text}>
    {parseBlocks(text).map((block, index) => (
      <BlockView key={index} block={block} />
    ))}
  </div>
)
