/** A text that may be long. It is cut at 20 rem; the whole text stands in the title and is what is copied. */
export function Cut({ text }: { readonly text: string }) {
  return (
    <bdi class="cut" title={text}>
      {text}
    </bdi>
  );
}
