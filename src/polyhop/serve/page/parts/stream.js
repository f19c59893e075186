// Reads server-sent events from a reply's body. EventSource cannot post, nor send a key.

/** Events as `{name, data}`, where data is what the event's JSON says. */
export async function* eventsOf(body) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  try {
    for (;;) {
      const { done, value } = await reader.read();
      rest += done ? "\n\n" : value;
      const held = rest.endsWith("\r") ? "\r" : ""; // half of a line's end, perhaps
      const blocks = rest.slice(0, rest.length - held.length).replace(/\r\n?/g, "\n").split("\n\n");
      rest = blocks.pop() + held;
      for (const block of blocks) {
        const event = eventOf(block);
        if (event) yield event;
      }
      if (done) return;
    }
  } finally {
    reader.cancel().catch(() => {}); // whoever stops listening also stops the server's work
  }
}

function eventOf(block) {
  let name = "message";
  const data = [];
  for (const line of block.split("\n")) {
    const [, field, value] = /^([^:]*):? ?(.*)$/s.exec(line);
    if (field === "event") name = value;
    else if (field === "data") data.push(value);
  }
  return data.length ? { name, data: JSON.parse(data.join("\n")) } : null;
}
