#include "world/wire_up/pmi_message.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

namespace {

using namespace baton::world;

constexpr PmiDialect both[] = {PmiDialect::pmi1, PmiDialect::pmi2};

TEST(pmi_request, is_a_line_of_words_in_pmi1) {
  PmiRequest request(PmiDialect::pmi1, "put");
  request.add("kvsname", "k").add("key", 12);
  EXPECT_EQ(request.finish(), "cmd=put kvsname=k key=12\n");
}

TEST(pmi_request, is_a_frame_of_fields_behind_its_length_in_pmi2) {
  PmiRequest request(PmiDialect::pmi2, "kvs-put");
  request.add("key", "a").add("value", "b");
  EXPECT_EQ(request.finish(), "26    cmd=kvs-put;key=a;value=b;");
}

TEST(pmi_request, that_would_be_misread_or_does_not_fit_is_none) {
  for (PmiDialect dialect : both) {
    for (std::string_view value : {std::string_view(dialect == PmiDialect::pmi1 ? "a b" : "a;b"),
                                   std::string_view("a\n"), std::string_view("a\0b", 3)}) {
      PmiRequest request(dialect, "put");
      EXPECT_EQ(request.add("value", value).finish(), "");
    }
    PmiRequest request(dialect, "put");
    EXPECT_EQ(request.add("value", std::string(pmi_message_bytes_max, 'a')).add("b", "").finish(),
              "");
  }
}

TEST(pmi_request, takes_words_for_people) {
  char text[12];
  EXPECT_EQ(std::string_view(text, pmi_words(PmiDialect::pmi2, "a=b;c\nd", text, 12)), "a:b c d");
  EXPECT_EQ(std::string_view(text, pmi_words(PmiDialect::pmi1, "more than there is", text, 12)),
            "more_than_th");
}

TEST(pmi_message, is_taken_when_it_is_whole) {
  std::string_view text;
  std::size_t used = 0;
  for (auto [dialect, message] : {std::pair{PmiDialect::pmi1, std::string("cmd=x rc=0\n")},
                                  std::pair{PmiDialect::pmi2, std::string("    11cmd=x;rc=0;")}}) {
    for (std::size_t length = 0; length < message.size(); ++length)
      EXPECT_EQ(take_pmi_message(dialect, message.substr(0, length), &text, &used),
                PmiArrival::more);
    const std::string two = message + message;
    ASSERT_EQ(take_pmi_message(dialect, two, &text, &used), PmiArrival::whole);
    EXPECT_EQ(used, message.size());
    EXPECT_EQ((PmiReply{dialect, text}.command()), "x");
    EXPECT_TRUE((PmiReply{dialect, text}.succeeded()));
  }
}

TEST(pmi_message, without_end_or_with_a_length_that_is_none_is_garbage) {
  std::string_view text;
  std::size_t used;
  EXPECT_EQ(
      take_pmi_message(PmiDialect::pmi1, std::string(pmi_message_bytes_max, 'a'), &text, &used),
      PmiArrival::garbage);
  for (const char* frame :
       {"      ", "abcdef", "     0", "    -1", "999999", "  4091", "1 2   ", "cmd=ab"})
    EXPECT_EQ(take_pmi_message(PmiDialect::pmi2, frame, &text, &used), PmiArrival::garbage)
        << frame;
}

TEST(pmi_reply, finds_fields_by_their_whole_name) {
  const PmiReply reply{PmiDialect::pmi1, "cmd=get_result rc=0 vallen=7 value=a=b  key="};
  std::string_view value;
  int number;
  ASSERT_TRUE(reply.find("value", &value));
  EXPECT_EQ(value, "a=b");
  ASSERT_TRUE(reply.find("vallen", &number));
  EXPECT_EQ(number, 7);
  ASSERT_TRUE(reply.find("key", &value));
  EXPECT_EQ(value, "");
  EXPECT_FALSE(reply.find("val", &value));
  EXPECT_FALSE(reply.find("value", &number));
  EXPECT_FALSE(reply.find("", &value));
}

TEST(pmi_reply, has_failed_when_its_code_is_not_zero_or_no_number) {
  EXPECT_TRUE((PmiReply{PmiDialect::pmi1, "cmd=barrier_out"}.succeeded()));
  EXPECT_FALSE((PmiReply{PmiDialect::pmi1, "cmd=get_result rc=-1"}.succeeded()));
  EXPECT_FALSE((PmiReply{PmiDialect::pmi2, "cmd=x;rc=;"}.succeeded()));
  EXPECT_FALSE((PmiReply{PmiDialect::pmi2, "cmd=x;rc=0x;"}.succeeded()));
}

TEST(whole_number, is_all_of_the_text) {
  int number;
  EXPECT_TRUE(whole_number("-12", &number));
  for (const char* text : {"", " 1", "1 ", "+1", "0x1", "99999999999", "-"})
    EXPECT_FALSE(whole_number(text, &number)) << text;
}

// What may be found in a message lies within it, whatever it is. Sanitizers look at this, too.
TEST(pmi_message, survives_texts_that_were_changed_anywhere) {
  std::mt19937 random(3);
  const std::vector<std::string> sound = {
      "cmd=maxes kvsname_max=256 keylen_max=64 vallen_max=1024\n",
      "cmd=get_result rc=0 msg=success value=abc\n",
      "    49cmd=fullinit-response;pmi-version=2;rank=0;size=4;rc=0",
      "22    cmd=kvs-get-response;rc=0;"};
  for (int turn = 0; turn < 50000; ++turn) {
    std::string message = sound[random() % sound.size()];
    for (unsigned change = random() % 4; change > 0; --change) {
      const std::size_t at = random() % message.size();
      if (random() % 3 == 0)
        message.resize(at + 1);
      else
        message[at] = random() % 2 ? static_cast<char>(random()) : "=; \n0"[random() % 5];
    }
    // Of exactly that size, so that a sanitizer sees what is read behind it.
    const std::vector<char> received(message.begin(), message.end());
    for (PmiDialect dialect : both) {
      std::string_view text, value;
      std::size_t used = 0;
      int number;
      if (take_pmi_message(dialect, {received.data(), received.size()}, &text, &used) !=
          PmiArrival::whole)
        continue;
      ASSERT_LE(used, received.size());
      const PmiReply reply{dialect, text};
      for (const char* name : {"cmd", "rc", "value", "vallen_max", "size", ""})
        if (reply.find(name, &value)) {
          ASSERT_GE(value.data(), received.data());
          ASSERT_LE(value.data() + value.size(), received.data() + received.size());
        }
      (void)reply.find("size", &number);
      (void)reply.succeeded();
    }
  }
}

}  // namespace
